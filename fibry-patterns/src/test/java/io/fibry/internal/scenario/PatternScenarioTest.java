package io.fibry.internal.scenario;

class PatternScenarioTest extends SuiteScenarios {
    PatternScenarioTest() {
        super(new PatternSuite());
    }
}
