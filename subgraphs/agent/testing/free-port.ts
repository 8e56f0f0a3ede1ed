import { createPortChooser } from '../driver/ports.ts';

/**
 * Chooses a free loopback port below the range of ephemeral ports, so that no client connection of a parallel test
 * takes it.
 */
export const freePort = createPortChooser(20_000, 32_000);
