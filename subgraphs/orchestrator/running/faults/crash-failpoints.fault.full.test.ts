import { failpoints } from './crash.fixture.ts';
import { REPRESENTATIVE, testFailpoints } from './crash-failpoints.fixture.ts';

testFailpoints((await failpoints()).filter((name) => !REPRESENTATIVE.includes(name)));
