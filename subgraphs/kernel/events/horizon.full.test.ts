import { testReader, testWriters } from './horizon.fixture.ts';

testReader(60);
testWriters(60);
