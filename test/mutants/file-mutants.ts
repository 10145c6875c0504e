import type { Mutant } from "./mutant.ts";

const SUITES = ["test/journeys/data-folder.test.ts"];

/** Defects of the files in the data folder. */
export const FILE_MUTANTS: readonly Mutant[] = [
  {
    name: "files: the secret key gets its name before it is synced",
    edits: [
      {
        within: "platform/durable-files.ts",
        find: "fs.writeFileSync(file, text);\n    fs.fsyncSync(file);",
        replace: "fs.writeFileSync(file, text);",
      },
    ],
    suites: SUITES,
    only: "before there is a database",
  },
  {
    name: "files: the name of the secret key is not synced",
    edits: [
      {
        within: "config/secret-key-file.ts",
        find: "  removeDrafts(path);\n  syncFolder(folder);\n",
        replace: "  removeDrafts(path);\n  void syncFolder;\n",
      },
    ],
    suites: SUITES,
    only: "before there is a database",
  },
  {
    name: "files: the secret key is written in its place",
    edits: [
      {
        within: "platform/durable-files.ts",
        find: "const draft = `${path}.${draftName}${DRAFT}`;",
        replace: "const draft = path + draftName.slice(99);",
      },
    ],
    suites: SUITES,
    only: "kill at any step",
  },
  {
    name: "files: a lost key is drawn anew beside its database",
    edits: [
      {
        within: "config/secret-key-file.ts",
        find: "if (hasDatabase) throw new SettingError(`${path} is missing",
        replace: "if (hasDatabase && mayNotBe) throw new SettingError(`${path} is missing",
      },
      {
        within: "config/secret-key-file.ts",
        find: "const SECRET_CHARACTERS = 44;",
        replace: "const SECRET_CHARACTERS = 44;\nconst mayNotBe = false as boolean;",
      },
    ],
    suites: SUITES,
    only: "whose key is gone",
  },
  {
    name: "files: others can read the database",
    edits: [
      {
        within: "store/sqlite/sqlite-store.ts",
        find: "      createFile(options.path);\n",
        replace: "      void createFile;\n",
      },
    ],
    suites: SUITES,
    only: "readable by their owner",
  },
];
