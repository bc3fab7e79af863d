package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
@ExtendWith(ThreadsLeft.class)
class ForwardTest {
    @Test
    void whatComesInGoesToTheTargetAndBack() throws IOException {
        try (var hello = TcpHello.start(0);
                var forward = Forward.start("0", "localhost:" + hello.port());
                var client = new Raw(forward.port())) {
            client.send(Raw.REQUEST.repeat(3));
            assertThat(client.receive(Raw.KEEP.length() * 3)).isEqualTo(Raw.KEEP.repeat(3));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '"', value = {
        "8080;                     two arguments are wanted, not 1",
        "8080 localhost;           '8080 localhost' is no port and target",
        "x localhost:80;           'x localhost:80' is no port and target",
        "99999 localhost:80;       a port is a number from 0 to 65535, not 99999"})
    void aBadArgumentIsNamed(String args, String message) {
        assertThatThrownBy(() -> Forward.start(args.split(" "))).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }
}
