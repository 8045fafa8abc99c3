#!/bin/sh
# Builds the bot into the folder DIR, with the Go and the gRPC of Debian and nothing else from anywhere: ./build.sh DIR
# apt-get install golang-go golang-google-grpc-dev protobuf-compiler protoc-gen-go-1-3
# With Go modules, generate the contract by protoc-gen-go and protoc-gen-go-grpc; bot.go stays as it is.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$1" "$work/src/gopher"
cp "$here/bot.go" "$work/src/gopher"
protoc -I "$here/../../protos" --go_out="plugins=grpc,paths=source_relative,Marena/v1/view.proto=arena/v1:$work/src" \
    arena/v1/play.proto arena/v1/view.proto
export GO111MODULE=off CGO_ENABLED=0 GOPATH="$work:${GOPATH:-/usr/share/gocode}" GOCACHE="${GOCACHE:-$work/cache}"
go build -o "$1/gopher" -ldflags "-s -w" gopher
cp "$here/bot.toml" "$1"
