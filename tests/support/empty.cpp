// Only what is precompiled for the tests is made of this file.
