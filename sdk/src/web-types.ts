/** Types of the web platform that are missing in the types of some runtimes. */

export type HeadersInput = Headers | Readonly<Record<string, string>> | [string, string][];

export type BodyInput = string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | ReadableStream;

export type WebCrypto = typeof globalThis.crypto;

export type WebCryptoKey = Awaited<ReturnType<WebCrypto["subtle"]["importKey"]>>;

export type Bytes = Uint8Array<ArrayBuffer>;
