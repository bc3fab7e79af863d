package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.bench.Settings.Size;
import io.fibry.bench.Twin.Count;
import io.fibry.bench.report.Samples;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Twins run where their compiler is installed. */
class TwinTest {
    @TempDir
    static Path folder;
    private final Settings settings = new Settings(Size.SMOKE, OptionalLong.empty(), folder);

    private Samples measured(Language language, String experiment, int which, int count) throws Exception {
        var samples = new Samples();
        new Twin(language, experiment, which, count, nanos -> nanos).measure(settings, samples);
        return samples;
    }

    @ParameterizedTest
    @EnumSource
    void eachExperimentRunsAndFindsItsOwnResultRight(Language language) throws Exception {
        assumeTrue(language.isInstalled(), language.howToGetIt());

        assertThat(measured(language, "create", 0, 100).values()).hasSize(1);
        assertThat(measured(language, "ask", 0, 100).values()).hasSize(1);
        assertThat(measured(language, "ring", 7, 1_000).values()).hasSize(1);
        assertThat(measured(language, "flood", 4, 1_000).values()).hasSize(1);
        assertThat(measured(language, "skynet", 0, 1_000).values()).hasSize(1);
    }

    /** 110 is no power of ten: it cannot be shared out among ten again and again. */
    @ParameterizedTest
    @EnumSource
    void aSumThatIsWrongIsAFailure(Language language) {
        assumeTrue(language.isInstalled(), language.howToGetIt());

        assertThatThrownBy(() -> measured(language, "skynet", 0, 110)).hasMessageContaining(" ended with ");
        assertThatThrownBy(() -> measured(language, "nothing", 0, 1)).hasMessageContaining(" ended with ");
    }

    @Test
    void whatIsNotInstalledSaysHowToGetIt() {
        assertThat(Language.GO.howToGetIt()).contains("go is not installed", "apt-get install golang-go");
        assertThat(Language.isOnPath("no-such-program")).isFalse();
    }

    @Test
    void whatAProgramThatEndsAtOnceHasSaidIsReadToItsEnd() throws Exception {
        assumeTrue(Language.isOnPath("seq"), "seq is not installed");

        for (int i = 0; i < 20; i++) {
            assertThat(Language.output(List.of("seq", "1", "10000"))).hasSize(10_000).endsWith("10000");
        }
    }

    @Test
    void nanosecondsBecomeTheUnitOfTheExperiment() {
        assertThat(Count.nanosEach(1_000).fromNanos().applyAsDouble(5_000)).isEqualTo(5);
        assertThat(Count.millionsInASecond(2_000_000).fromNanos().applyAsDouble(1e9)).isEqualTo(2);
        assertThat(Count.millisOfAll(7).fromNanos().applyAsDouble(3e6)).isEqualTo(3);
    }

    @Test
    void quickRunsHaveGoAndTestsHaveNoTwins() {
        assertThat(Twin.each("", Count.nanosEach(1), "ask", 0)).extracting(Line::sizes)
                .containsExactly(Set.of(Size.FULL, Size.QUICK), Set.of(Size.FULL));
    }
}
