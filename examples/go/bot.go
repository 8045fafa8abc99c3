// A bot in Go that plays every game of the arena, written from protos/ alone: it answers at random among what is legal,
// and knows no rules. Built without cgo it is one static file, which can be submitted as it is:
//
//	./build.sh DIR       the program and its bot.toml, in a folder to submit
//	arena bot check DIR
//
// It plays from home, too: ARENA_SERVER=HOST:PORT ARENA_TOKEN=TOKEN DIR/gopher
//
// What a better bot would look at is in turn.GetTrick() or turn.GetPairs(); protos/arena/v1/view.proto says what it means.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	pb "arena/v1"
)

const name, protocol, batch = "gopher", 1, 64

var games = []string{"callbreak", "contract_whist", "minus", "minus_one"}

func main() {
	// A hosted bot finds its referee at a socket of its own, a bot at home at an address.
	address, token, bot := os.Getenv("ARENA_SOCKET"), os.Getenv("ARENA_TICKET"), os.Getenv("ARENA_BOT")
	if address == "" {
		address, token, bot = os.Getenv("ARENA_SERVER"), os.Getenv("ARENA_TOKEN"), name
	}
	if address == "" || token == "" {
		end(2, "usage: ARENA_SERVER=HOST:PORT ARENA_TOKEN=TOKEN "+name)
	}
	farewell, err := play(address, token, bot)
	if err != nil {
		end(1, err.Error())
	}
	if farewell.Reason != pb.FarewellReason_FAREWELL_REASON_DONE {
		end(1, farewell.Message)
	}
}

// play answers until the referee says farewell or the stream is lost.
func play(address, token, bot string) (*pb.Farewell, error) {
	connection, err := grpc.Dial(address, grpc.WithInsecure())
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
	stream, err := pb.NewPlayServiceClient(connection).Play(ctx)
	if err != nil {
		return nil, err
	}
	hello := &pb.Hello{Bot: bot, Version: "random", Games: games, Batch: batch, Protocol: protocol}
	if err := stream.Send(&pb.PlayRequest{Hello: hello}); err != nil {
		return nil, err
	}
	draws := map[uint64]*rand.Rand{}
	for {
		frame, err := stream.Recv()
		if err != nil {
			return nil, err
		}
		if frame.Welcome != nil {
			fmt.Fprintf(os.Stderr, "%s plays, up to %d turns at a time\n", frame.Welcome.Bot, frame.Welcome.Batch)
		}
		for _, start := range frame.Starts {
			// A match's own seed, so that the same match can be played again exactly.
			seed := int64(binary.LittleEndian.Uint64(start.BotSeed))
			draws[start.MatchId] = rand.New(rand.NewSource(seed))
		}
		if len(frame.Turns) > 0 {
			choices := make([]*pb.Choice, len(frame.Turns))
			for i, turn := range frame.Turns {
				number := draws[turn.MatchId].Intn(bits.OnesCount64(turn.Legal))
				choices[i] = &pb.Choice{MatchId: turn.MatchId, Turn: turn.Turn, Action: legal(turn, number)}
			}
			if err := stream.Send(&pb.PlayRequest{Choices: choices}); err != nil {
				return nil, err
			}
		}
		for _, over := range frame.Ends {
			delete(draws, over.MatchId)
			for _, fault := range over.Faults {
				fmt.Fprintf(os.Stderr, "turn %d: %s: %s\n", fault.Turn, fault.Kind, fault.Reason)
			}
		}
		if frame.Farewell != nil {
			return frame.Farewell, nil
		}
	}
}

// legal is the legal action of that number: bit i of the mask is action First + i.
func legal(turn *pb.Turn, number int) uint32 {
	mask := turn.Legal
	for ; number > 0; number-- {
		mask &= mask - 1
	}
	return turn.First + uint32(bits.TrailingZeros64(mask))
}

func end(code int, sentence string) {
	fmt.Fprintln(os.Stderr, sentence)
	os.Exit(code)
}
