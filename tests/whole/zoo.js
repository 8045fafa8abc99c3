// Bad bots in JavaScript, for tests/whole/test_node.py: node zoo.js NAME BEHAVIOUR. The name is the bot's; from its first
// turn on it behaves as it is told. The packages are those of examples/node.

"use strict";

const path = require("node:path");
const { createRequire } = require("node:module");

const root = path.join(__dirname, "..", "..");
const near = createRequire(path.join(root, "examples", "node", "bot.js"));
const grpc = near("@grpc/grpc-js");
const definition = near("@grpc/proto-loader").loadSync("arena/v1/play.proto", {
  includeDirs: [path.join(root, "protos")],
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
});
const { Play } = grpc.loadPackageDefinition(definition).arena.v1.PlayService.service;

// The first legal action, which every good answer here is.
const lowest = ({ match_id, turn, first, legal }) => {
  let action = first;
  for (let bits = BigInt(legal); !(bits & 1n); bits >>= 1n) action += 1;
  return { match_id, turn, action };
};

// What a bot writes in answer to a frame's turns: messages, or bytes as they are.
const BEHAVIOURS = {
  silent: () => [],
  illegal: (turns) => [{ choices: turns.map((turn) => ({ ...lowest(turn), action: 4294967295 })) }],
  garbage: () => [Buffer.alloc(17, 0xff)],
  huge: () => [Buffer.alloc(300_000)],
  flood: (turns) => Array(50).fill({ choices: Array(100).fill({ ...lowest(turns[0]), turn: 2147483648 }) }),
  twice: (turns) => {
    const choices = turns.map(lowest);
    return [{ choices }, { choices: choices.map((choice) => ({ ...choice, action: 999 })) }, { choices }];
  },
  stray: (turns) => {
    const choices = turns.map(lowest);
    const astray = choices.flatMap((choice) => [
      { ...choice, turn: choice.turn + 1 },
      { ...choice, match_id: choice.match_id + 7 },
    ]);
    return [{ choices: astray }, { choices }];
  },
  gone: () => process.exit(3),
};

const [, , name, behaviour] = process.argv;
const { ARENA_SERVER: address, ARENA_TOKEN: token } = process.env;
const metadata = new grpc.Metadata();
metadata.set("authorization", `Bearer ${token}`);
const serialise = (message) => (Buffer.isBuffer(message) ? message : Play.requestSerialize(message));
const client = new grpc.Client(address, grpc.credentials.createInsecure());
const stream = client.makeBidiStreamRequest(Play.path, serialise, Play.responseDeserialize, metadata);

stream.on("data", (frame) => {
  if (frame.welcome) console.log("here");
  if (frame.turns.length) for (const message of BEHAVIOURS[behaviour](frame.turns)) stream.write(message);
  if (frame.farewell) {
    console.log(frame.farewell.reason);
    stream.end();
  }
});
stream.on("error", () => {});
stream.on("status", ({ code }) => {
  console.log(grpc.status[code]);
  client.close();
});
stream.write({ hello: { bot: name, version: "1", games: ["callbreak"], batch: 8, protocol: 1 } });
