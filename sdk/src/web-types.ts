/** Types of the web platform that not every runtime's own types have a name for. */

export type HeadersInput = Headers | Readonly<Record<string, string>> | [string, string][];

export type BodyInput = string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | ReadableStream;

export type WebCrypto = typeof globalThis.crypto;

export type WebCryptoKey = Awaited<ReturnType<WebCrypto["subtle"]["importKey"]>>;

export type Bytes = Uint8Array<ArrayBuffer>;
