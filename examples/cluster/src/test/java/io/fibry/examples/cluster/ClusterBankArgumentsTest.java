package io.fibry.examples.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.examples.frame.UsageException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterBankArgumentsTest {
    @ParameterizedTest
    @ValueSource(strings = {"x", "8081,,8082", "70000", "-1"})
    void pagesAreOnPorts(String pages) {
        assertThatThrownBy(() -> ClusterBank.main(new String[]{"--pages", pages}))
                .isInstanceOf(UsageException.class).hasMessageContaining("--pages wants ports");
    }
}
