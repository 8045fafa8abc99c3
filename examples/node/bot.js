// A bot in JavaScript that plays every game of the arena, written from protos/ alone: it answers at random among what is
// legal, and knows no rules.
//
//     npm ci
//     ARENA_SERVER=HOST:PORT ARENA_TOKEN=TOKEN node bot.js NAME
//
// What a better bot would look at is in `turn.trick` or `turn.pairs`; protos/arena/v1/view.proto says what it means.

"use strict";

const path = require("node:path");
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const GAMES = ["callbreak", "contract_whist", "minus", "minus_one"];
const PROTOCOL = 1;
const BATCH = 64;
const LONGEST_PAUSE_MS = 30_000;

// Match ids stay below 2^53 and no phase has more than 52 options, so a Number holds both exactly.
const definition = loader.loadSync("arena/v1/play.proto", {
  includeDirs: [process.env.ARENA_PROTOS || path.join(__dirname, "..", "..", "protos")],
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
});
const { PlayService } = grpc.loadPackageDefinition(definition).arena.v1;

// Draws from a match's own seed, so that the same match can be played again exactly (sfc32).
function randomFrom(seed) {
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => seed.readInt32LE(at) ^ seed.readInt32LE(at + 16));
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
}

// The actions that a turn allows: bit i of `legal` is action first + i. Bit operations on Numbers stop at 32 bits.
function legalActions(turn) {
  const actions = [];
  for (let bits = BigInt(turn.legal), action = turn.first; bits; bits >>= 1n, action += 1) {
    if (bits & 1n) actions.push(action);
  }
  return actions;
}

function play(name, address, token) {
  const client = new PlayService(address, grpc.credentials.createInsecure());
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  const random = new Map();
  let pauseMs = 250;

  function connect() {
    let farewell = null;
    const stream = client.Play(metadata);
    stream.on("data", (frame) => {
      if (frame.welcome) {
        pauseMs = 250;
        console.error(`${name} plays at ${address}, up to ${frame.welcome.batch} turns at a time`);
      }
      for (const start of frame.starts) random.set(start.match_id, randomFrom(start.bot_seed));
      const choices = frame.turns.map((turn) => {
        const legal = legalActions(turn);
        const draw = random.get(turn.match_id);
        return { match_id: turn.match_id, turn: turn.turn, action: legal[Math.floor(draw() * legal.length)] };
      });
      if (choices.length) stream.write({ choices });
      for (const end of frame.ends) {
        random.delete(end.match_id);
        for (const fault of end.faults) console.error(`turn ${fault.turn}: ${fault.kind}: ${fault.reason}`);
      }
      if (frame.farewell) {
        farewell = frame.farewell;
        stream.end();
      }
    });
    // A call that fails is an error and a status; the status comes in any case, and says it all.
    stream.on("error", () => {});
    stream.on("status", ({ code, details }) => {
      const lost = code === grpc.status.UNAVAILABLE || code === grpc.status.CANCELLED;
      if (!farewell && code !== grpc.status.OK && !lost) farewell = { reason: "REFUSED", message: details };
      if (farewell && farewell.reason !== "FAREWELL_REASON_SHUTDOWN") {
        console.error(farewell.message);
        client.close();
        process.exitCode = farewell.reason === "FAREWELL_REASON_DONE" ? 0 : 1;
        return;
      }
      console.error(`${details || "The stream is lost."} Trying again in ${pauseMs / 1000} s.`);
      setTimeout(connect, pauseMs);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    });
    stream.write({ hello: { bot: name, version: "random", games: GAMES, batch: BATCH, protocol: PROTOCOL } });
  }

  connect();
}

const { ARENA_SERVER: address, ARENA_TOKEN: token } = process.env;
const name = process.argv[2];
if (!name || !address || !token) {
  console.error("usage: ARENA_SERVER=HOST:PORT ARENA_TOKEN=TOKEN node bot.js NAME");
  process.exit(2);
}
play(name, address, token);
