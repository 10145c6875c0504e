/** The version of the package, which tells the service what this SDK knows. */
export const VERSION = "0.1.0";
