package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdkCheckTest {
    @ParameterizedTest
    @ValueSource(strings = {"25", "25-ea+36", "25+36-LTS", "25.0.1", "25.0.1+8-LTS", "25.0.2", "25.0.2.1"})
    void warnsOfBuildsOnWhichVirtualThreadsAreKnownToHang(String version) {
        assertThat(JdkCheck.warning(Runtime.Version.parse(version)).orElseThrow())
                .contains(version, "JDK-8369227", "25.0.3");
    }

    @ParameterizedTest
    @ValueSource(strings = {"21", "21.0.2", "24.0.2", "25.0.3", "25.0.3+9-LTS", "25.0.10", "25.1", "26-ea",
        "26",
        "26.0.1"})
    void isSilentOnOthers(String version) {
        assertThat(JdkCheck.warning(Runtime.Version.parse(version))).isEmpty();
    }
}
