"""The faces of the server over gRPC."""
