import { testScim } from './scim-fuzz.fixture.ts';

testScim({ isThorough: true });
