package io.fibry.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.examples.frame.UsageException;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
@ExtendWith(ThreadsLeft.class)
class RelayProgramsTest {
    private static final Map<String, String> ENVIRONMENT =
            Map.of("FIBRY_RELAY_SECRET", "for this test alone");

    @Test
    void usersOfTheRelayGetToTheServiceOfTheAgent() throws Exception {
        try (var hello = TcpHello.start(0);
                var relay = Relay.start(ENVIRONMENT, "--port", "0", "--agents-port", "0");
                var agent = RelayAgent.start(ENVIRONMENT, "--relay", "localhost:" + relay.agentPort(), "--to",
                        "localhost:" + hello.port())) {
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(relay::hasAgent);
            try (var client = new Raw(relay.port())) {
                client.send(Raw.REQUEST.repeat(3));
                assertThat(client.receive(Raw.KEEP.length() * 3)).isEqualTo(Raw.KEEP.repeat(3));
                assertThat(agent.connections()).isEqualTo(1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "--to localhost;            --to wants HOST:PORT, not 'localhost'",
        "--relay localhost:99999;   --relay wants HOST:PORT, not 'localhost:99999'"})
    void aBadArgumentOfTheAgentIsNamed(String args, String message) {
        assertThatThrownBy(() -> RelayAgent.start(ENVIRONMENT, args.split(" ")))
                .isInstanceOf(UsageException.class).hasMessageStartingWith(message + "\n");
    }

    @Test
    void aBadArgumentOfTheRelayIsNamed() {
        assertThatThrownBy(() -> Relay.start(ENVIRONMENT, "--agents-port", "99999"))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--agents-port wants a number from 0 to 65535, not '99999'\n");
    }

    @Test
    void aSecretThatIsAbsentOrTooShortIsNamed() {
        assertThatThrownBy(() -> Relay.start(Map.of(), "--port", "0")).isInstanceOf(UsageException.class)
                .hasMessageContaining("FIBRY_RELAY_SECRET").hasMessageContaining("not 0");
        assertThatThrownBy(() -> RelayAgent.start(Map.of("FIBRY_RELAY_SECRET", "short")))
                .isInstanceOf(UsageException.class).hasMessageContaining("not 5");
    }
}
