/** The extension in a window of Spanish. */

import type { SuiteContext } from "../suite.ts";
import { checkWording } from "../translatedWindow.ts";

export const language = "es";

export function checks(context: SuiteContext): Promise<void> {
  return checkWording(context, "spanish", {
    left: "FRESH · queda un 100%",
    hover: "del bloque ahora",
    completion: "siguiente regla",
    finding: "La línea no se lee, porque no tiene `=`.",
    showContext: "Mostrar panel de contexto",
    size: /\d+ de 800 tokens/,
  });
}
