/** The extension in a window of Brazilian Portuguese. */

import type { SuiteContext } from "../suite.ts";
import { checkWording } from "../translatedWindow.ts";

export const language = "pt-br";

export function checks(context: SuiteContext): Promise<void> {
  return checkWording(context, "portuguese", {
    left: "FRESH · 100% livre",
    hover: "Fora do bloco agora",
    completion: "próxima regra",
    finding: "A linha não é lida, porque não tem `=`.",
    showContext: "Mostrar painel de contexto",
    size: /\d+ de 800 tokens/,
  });
}
