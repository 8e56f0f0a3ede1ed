import { testScim } from '../testing/scim-fuzz.ts';

testScim({ isThorough: true });
