/** What the product needs of the system beside Node, and which Debian packages bring it. */
import { spawnSync } from "node:child_process";

const PROGRAMS = [
  { name: "git", packages: ["git"], check: ["git", "--version"] },
  {
    name: "Python with venv",
    packages: ["python3", "python3-venv"],
    check: ["python3", "-c", "import ensurepip, venv"],
  },
  {
    name: "bubblewrap (or a Docker engine that answers)",
    packages: ["bubblewrap"],
    check: ["bwrap", "--version"],
    otherwise: ["docker", "version", "--format", "{{.Server.Version}}"],
  },
];

/** Those that are not there. */
export function missingPrograms() {
  return PROGRAMS.filter(({ check, otherwise }) => !succeeds(check) && !(otherwise && succeeds(otherwise)));
}

function succeeds([program, ...args]) {
  return spawnSync(program, args, { stdio: "ignore", timeout: 20_000 }).status === 0;
}
