"""The public gRPC API: one module per service, each a thin edge over the rooms behind it."""
