package io.fibry.examples.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {
    private static Options read(String... args) {
        return Options.read(args, Option.port(8080), new Option("--devices", "2_000", "how many connect"));
    }

    @Test
    void whatIsNotGivenHasItsInitialValue() {
        assertThat(read().port()).isEqualTo(8080);
        assertThat(read("--port", "0").number("--devices", 1, 5_000)).isEqualTo(2_000);
        assertThat(read("--port", "0", "--devices", "7").number("--devices", 1, 5_000)).isEqualTo(7);
        assertThat(read("--port", "0").port()).isZero();
        assertThat(read("--port=0", "--devices", "7").number("--devices", 1, 5_000)).isEqualTo(7);
        assertThat(read("--devices=7", "--port=9").port()).isEqualTo(9);
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "--prot 1;       unknown argument '--prot'",
        "9000;           unknown argument '9000'",
        "--port;         --port wants a value",
        "--prot=1;       unknown argument '--prot'",
        "--port=;        --port wants a number from 0 to 65535, not ''",
        "--port=x;       --port wants a number from 0 to 65535, not 'x'",
        "--port x;       --port wants a number from 0 to 65535, not 'x'",
        "--port -1;      --port wants a number from 0 to 65535, not '-1'",
        "--port 65536;   --port wants a number from 0 to 65535, not '65536'",
        "--port 9999999999999; --port wants a number from 0 to 65535, not '9999999999999'"})
    void aBadArgumentIsNamedAndTheGoodOnesShown(String args, String message) {
        assertThatThrownBy(() -> read(args.split(" ")).port()).isInstanceOf(UsageException.class)
                .hasMessageStartingWith(message + "\n")
                .hasMessageContaining("--port         where to listen; 0 takes any free port (8080)");
    }

    @Test
    void helpIsNoError() {
        var help = catchThrowableOfType(UsageException.class, () -> read("--port", "x", "--help"));

        assertThat(help.exitCode()).isZero();
        assertThat(help).hasMessageContaining("--devices      how many connect (2_000)");
        assertThat(help)
                .hasMessageEndingWith("--inside       opens a live page of the actors, for all examples");
        assertThat(read().wrong("no").exitCode()).isEqualTo(2);
    }
}
