"""What a GraphQL caller may ask, and how they are answered."""
