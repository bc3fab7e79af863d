package io.fibry.examples;

import org.junit.jupiter.api.Test;

class SampleExampleTest {
    @Test
    void shouldRun() throws Exception {
        SampleExample.main(new String[0]);
    }
}
