/** The page of the Context panel: an empty one, which its script fills. Pure. */

export interface Page {
  /** The origin that the page's files come from, as the webview names it. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
  readonly nonce: string;
  readonly language: string;
}

export function pageOf({ source, script, style, nonce, language }: Page): string {
  const policy = `default-src 'none'; style-src ${source}; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${language}">
<head>
  <meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="stylesheet" href="${style}">
</head>
<body>
  <script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
