/**
 * Finds the manifest of an index for `platform` (`os/architecture`); the agent and the server's verdict use the same
 * function.
 */
export const platformDigestFor = <Child>(
  children: Readonly<Record<string, Child>>,
  platform: string,
): Child | undefined =>
  // A child may name its variant (linux/arm64/v8) where the agent knows only the architecture.
  children[platform] ?? Object.entries(children).find(([name]) => name.startsWith(`${platform}/`))?.[1];
