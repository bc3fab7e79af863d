package io.fibry.internal.scenario;

class MutantsTest extends SuiteMutants {
    MutantsTest() {
        super(new EngineSuite());
    }
}
