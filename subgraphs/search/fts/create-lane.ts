import type { Log } from '@landfall/kernel/system/log';
import type { Lane } from './lane.ts';
import { ThreadedLane } from './threaded-lane.ts';

/**
 * The index in threads of its own, with what its snapshot has.
 * @param options.directory where it keeps its snapshot; without one nothing is kept
 */
export const createLane = async (options: { directory: string | undefined; log: Log }): Promise<Lane> => {
  const lane = new ThreadedLane(options);
  try {
    await lane.open();
    return lane;
  } catch (error) {
    await lane[Symbol.asyncDispose]();
    throw error;
  }
};
