import { testShutdown } from '../testing/shutdown.ts';

testShutdown('all-in-one');
