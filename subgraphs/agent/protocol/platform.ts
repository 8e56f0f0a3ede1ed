/** Finds the manifest of an index for `platform` (`os/architecture`), for the agent and for the server's verdict. */
export const platformDigestFor = <Child>(
  children: Readonly<Record<string, Child>>,
  platform: string,
): Child | undefined =>
  // A child may name its variant (linux/arm64/v8) where the agent knows only the architecture.
  children[platform] ?? Object.entries(children).find(([name]) => name.startsWith(`${platform}/`))?.[1];
