package io.fibry.internal.scenario;

class ScenarioTest extends SuiteScenarios {
    ScenarioTest() {
        super(new EngineSuite());
    }
}
