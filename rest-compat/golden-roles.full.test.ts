import { testGoldenFiles } from './testing/golden-files.ts';

testGoldenFiles('roles');
