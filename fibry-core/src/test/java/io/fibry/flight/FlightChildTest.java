package io.fibry.flight;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Child;
import io.fibry.testing.Promise;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Configuration;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is settled when the JVM starts: whether it has Flight Recorder, and a recording from the start. */
@Tag("once")
class FlightChildTest {
    private static final Path SETTINGS = Path.of("..", "docs", "fibry.jfc").toAbsolutePath();

    @Test
    @Promise("52.6")
    void aJvmWithoutFlightRecorderWorks() throws Exception {
        var printed = Child.run(FlightChild.class,
                List.of("--limit-modules", "java.se,jdk.unsupported", "-Xlog:class+load"));
        assertThat(printed).contains("twice: 42", "recorder: false").contains("internal.flight.NoFlight")
                .doesNotContain("internal.flight.JfrFlight", "jdk.jfr.");
    }

    @Test
    @Promise("52.6")
    void withoutARecordingNoEventIsLoaded() throws Exception {
        var printed = Child.run(FlightChild.class, List.of("-Xlog:class+load"));
        assertThat(printed).contains("twice: 42", "recorder: true").contains("internal.flight.JfrFlight")
                .doesNotContain("internal.flight.FlightEvent", "internal.flight.HandlingObserver");
    }

    /** The first actor of the JVM is recorded, too. */
    @Test
    @Promise("52.1")
    void aRecordingFromTheStartHasTheFirstMessage() throws Exception {
        var file = Files.createTempFile("fibry", ".jfr");
        try {
            Child.run(FlightChild.class, List.of("-XX:StartFlightRecording:settings=" + SETTINGS
                    + ",fibry.MessageHandled#threshold=0ms,filename=" + file));
            var events = RecordingFile.readAllEvents(file);
            assertThat(events.stream()
                    .filter(event -> event.getEventType().getName().equals("fibry.MessageHandled"))
                    .map(event -> event.getString("actor"))).containsExactly("twice", "twice");
            assertThat(events.stream().map(event -> event.getEventType().getName()))
                    .contains("fibry.ActorFailed", "fibry.MessageUndelivered");
        } finally {
            Files.delete(file);
        }
    }

    @Test
    @Promise("52.6")
    void theSettingsNameEveryEvent() throws Exception {
        var settings = Configuration.create(SETTINGS).getSettings();
        var sources = Path.of("src", "main", "java", "io", "fibry", "internal", "flight");
        try (var files = Files.list(sources)) {
            for (var source : files.toList()) {
                var name = java.util.regex.Pattern.compile("@Name\\(\"(fibry\\..*)\"\\)")
                        .matcher(Files.readString(source));
                if (name.find()) {
                    assertThat(settings).containsEntry(name.group(1) + "#enabled", "true");
                }
            }
        }
        assertThat(settings).containsEntry("fibry.MessageHandled#threshold", "20 ms")
                .allSatisfy((setting, value) -> assertThat(setting).startsWith("fibry."));
    }
}
