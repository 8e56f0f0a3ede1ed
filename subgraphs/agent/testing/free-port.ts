import { portChooser } from '../driver/ports.ts';

/**
 * Chooses a free loopback port below the range of ephemeral ports, so that no client connection of a parallel test
 * takes it.
 */
export const freePort = portChooser(20_000, 32_000);
