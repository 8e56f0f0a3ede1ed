import { portChooser } from '../driver/ports.ts';

/**
 * Loopback port that was free a moment ago. It is below those that systems give to clients: between now and its use no
 * connection of a test beside this one takes it.
 */
export const freePort = portChooser(20_000, 32_000);
