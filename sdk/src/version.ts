/** The version of the package, which tells the service what this SDK supports. */
export const VERSION = "0.1.0";
