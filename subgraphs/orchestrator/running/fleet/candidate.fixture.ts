import { buildApp } from '@landfall/kernel/testing/oci-app';

/** Builds the traffic of a task that gives a candidate `weight` percent of the requests. */
export const share = (weight: number, retire = false) => ({ traffic: { weight, retire } });

/**
 * Sends a hundred requests to a port.
 * @returns the number of them that each version answered
 */
export const hundred = async (port: number): Promise<Readonly<Record<string, number>>> => {
  const ask = async (): Promise<string> =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } })).text();
  const answers = await Promise.all(Array.from({ length: 100 }, ask));
  return Object.fromEntries(
    Map.groupBy(answers, (answer) => answer)
      .entries()
      .map(([name, all]) => [name, all.length]),
  );
};

export const v1 = buildApp({ version: 'v1' });
export const v2 = buildApp({ version: 'v2' });
