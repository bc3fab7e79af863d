package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.examples.frame.UsageException;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class ForwardTest {
    @Test
    void whatComesInGoesToTheTargetAndBack() throws IOException {
        try (var hello = TcpHello.start(0);
                var forward = Forward.start("--port", "0", "--to", "localhost:" + hello.port());
                var client = new Raw(forward.port())) {
            client.send(Raw.REQUEST.repeat(3));
            assertThat(client.receive(Raw.KEEP.length() * 3)).isEqualTo(Raw.KEEP.repeat(3));
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "--to localhost;            --to wants HOST:PORT, not 'localhost'",
        "--to localhost:99999;      --to wants HOST:PORT, not 'localhost:99999'",
        "--port 99999;              --port wants a number from 0 to 65535, not '99999'"})
    void aBadArgumentIsNamed(String args, String message) {
        assertThatThrownBy(() -> Forward.start(args.split(" "))).isInstanceOf(UsageException.class)
                .hasMessageStartingWith(message + "\n");
    }
}
