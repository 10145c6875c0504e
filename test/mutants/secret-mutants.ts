import { contract, IN_MEMORY, type Mutant } from "./mutant.ts";

const ROTATION = "operations/account/rotate-secret-key.ts";

/** Defects of the secret key, and of its rotation. */
export const SECRET_MUTANTS: readonly Mutant[] = [
  {
    name: "secret: the store takes what a key sealed that is no longer in use",
    edits: [
      {
        within: "core/rules/account/secret-key.ts",
        find: "return secretKey !== undefined && secretKey.keyId !== keyId;",
        replace: "return secretKey?.keyId === keyId && keyId === undefined;",
      },
    ],
    suites: [contract("secret-rotation")],
    only: IN_MEMORY,
  },
  {
    name: "secret: a rotation ends after the first pass, whatever it met",
    edits: [
      {
        within: ROTATION,
        find: "if (accounts > 0) this.#isClean = false;",
        replace: "if (accounts < 0) this.#isClean = false;",
      },
    ],
    suites: [contract("secret-rotation")],
    only: IN_MEMORY,
  },
  {
    name: "secret: signing keys that have changed meanwhile are overwritten",
    edits: [
      {
        within: "core/rules/account/secret-key.ts",
        find: "if (current !== before.current || next !== before.next) {",
        replace: "if (current === next && next !== before.next) {",
      },
    ],
    suites: [contract("secret-rotation")],
    only: IN_MEMORY,
  },
  {
    name: "secret: a node starts without the key that is being replaced",
    edits: [
      {
        within: "operations/account/secret-key.ts",
        find: "if (!keyIds.includes(previousId)) {",
        replace: "if (keyIds.length === 0 && !keyIds.includes(previousId)) {",
      },
    ],
    suites: [contract("secret-rotation")],
    only: IN_MEMORY,
  },
  {
    name: "secret: nodes are not asked for their keys",
    edits: [
      {
        within: ROTATION,
        find: "if (lacking.length === 0) return;",
        replace: "if (lacking.length >= 0) return;",
      },
    ],
    suites: [contract("secret-rotation")],
    only: "several nodes",
  },
  {
    name: "secret: only the current signing key is encrypted again",
    edits: [
      {
        within: ROTATION,
        find: "next: again(signingKeys.next) };",
        replace: "next: signingKeys.next };",
      },
    ],
    suites: [contract("secret-rotation")],
    only: IN_MEMORY,
  },
  {
    name: "secret: a new key seals before the store has named it",
    edits: [
      {
        within: "operations/account/secret-key.ts",
        find: "if (secretKey === undefined) secretBox.use(keyId);",
        replace: "if (secretKey === undefined) secretBox.use(secretBox.keyIds.at(-1) ?? keyId);",
      },
    ],
    suites: ["test/journeys/secret-rotation-nodes.test.ts"],
  },
  {
    name: "secret: a next key in the folder is not read at the start",
    edits: [
      {
        within: "config/secret-key-file.ts",
        find: "const others = readKey(join(folder, NEXT_KEY_FILE)) ? [keepNextKey(folder, ids)] : [];",
        replace: "const others: string[] = [];",
      },
    ],
    suites: ["test/journeys/secret-rotation.test.ts"],
  },
  {
    name: "secret: a backup has the first key alone",
    edits: [
      {
        within: "cli/store/backup.ts",
        find: `sealWith(passphrase, keysFor(encryption, settings).join("\\n"), ids)`,
        replace: "sealWith(passphrase, keysFor(encryption, settings)[0]!, ids)",
      },
    ],
    suites: ["test/journeys/secret-rotation.test.ts"],
  },
];
