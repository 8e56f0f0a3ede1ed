import { testHostileFiles } from './hostile.fixture.ts';

testHostileFiles(1);
