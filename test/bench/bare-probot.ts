/** A Probot application that does nothing, to measure against. `APP_ID`, `PRIVATE_KEY`, `WEBHOOK_SECRET`, `PORT`. */
import { pino } from "pino";
import { Probot, Server } from "probot";

const { APP_ID: appId, PRIVATE_KEY: privateKey, WEBHOOK_SECRET: secret, PORT } = process.env;
const log = pino({ level: "silent" });
const server = new Server({
  port: Number(PORT),
  host: "127.0.0.1",
  log,
  Probot: Probot.defaults({ appId, privateKey, secret, log }),
});
await server.load((probot) => {
  probot.on("issue_comment.created", () => {});
});
await server.start();
process.stdout.write('{"msg":"listening"}\n');
