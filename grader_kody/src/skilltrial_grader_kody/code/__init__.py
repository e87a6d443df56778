"""What JavaScript or TypeScript code does, as far as it can be told without running it."""
