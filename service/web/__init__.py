"""GraphQL over HTTP and WebSocket, the probes, and the server that carries them."""
