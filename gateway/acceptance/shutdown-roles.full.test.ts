import { testShutdown } from '../testing/shutdown.ts';

testShutdown('roles');
