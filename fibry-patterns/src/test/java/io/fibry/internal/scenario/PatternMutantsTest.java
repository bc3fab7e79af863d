package io.fibry.internal.scenario;

class PatternMutantsTest extends SuiteMutants {
    PatternMutantsTest() {
        super(new PatternSuite());
    }
}
