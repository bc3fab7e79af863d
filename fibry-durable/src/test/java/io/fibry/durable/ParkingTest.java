package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.DurableKeys.Parked;
import io.fibry.durable.Journal.Id;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What does not go through is parked. */
class ParkingTest {
    public record Command(String key, String text) {
    }

    public static final class Wrong extends RuntimeException {
        private static final long serialVersionUID = 1;

        Wrong(String message) {
            super(message);
        }
    }

    @TempDir
    private Path folder;
    /** The texts that receivers refuse. */
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    private DurableStore open() {
        return DurableStore.open("file:" + folder.resolve("bank.db"));
    }

    private static Durable<String, String> durable(DurableStore store) {
        return Durable.stateOnly(store, "texts", String.class, "").parkAfter(2, Wrong.class);
    }

    /** Appends the texts that a key gets. "a>b" of a key sends "a" to "b", and "remind" sets a reminder. */
    private KeyedActors<String, Command, String> keyed(Durable<String, String> durable, ActorScope scope) {
        return durable.keyed(scope, Command.class, String.class, Command::key, (self, command) -> {
            var text = command.text();
            if (refused.contains(text)) {
                throw text.startsWith("wrong") ? new Wrong(text) : new IllegalStateException(text);
            }
            if (text.startsWith("remind ")) {
                self.remind("later", Instant.now(),
                        new Command(self.key(), text.substring("remind ".length())));
            } else if (text.contains(">")) {
                for (var part : text.split(",")) {
                    self.send(new Command(part.split(">")[1], part.split(">")[0]));
                }
            } else if (!text.isEmpty()) {
                self.persist(self.state() + text + " ");
            }
            return self.state();
        });
    }

    private static String ask(KeyedActors<String, Command, String> actors, String key, String text) {
        try {
            return Waits.on(actors.sendMessageReturn(new Command(key, text)));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static List<Parked> parked(DurableKeys keys, int number) throws Exception {
        Waits.until(number + " are parked", () -> {
            try {
                return keys.parked(Optional.empty(), 10).size() == number;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        return keys.parked(Optional.empty(), 10);
    }

    private static List<Integer> tries(DurableKeys keys) {
        try {
            return keys.parked(Optional.empty(), 10).stream().map(Parked::tries).toList();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @Promise({"90.1", "90.2", "90.3"})
    void aMessageThatFailsIsParkedTheKeyGoesOnAndItIsSentAgainOnce() throws Exception {
        refused.add("bad");
        refused.add("wrong");
        try (var store = open(); var scope = ActorSystem.open("texts")) {
            var texts = keyed(durable(store), scope);
            ask(texts, "sender", "one>ann,bad>ann,wrong>bob,two>ann");
            ask(texts, "sender", "three>ann");
            var parked = parked(durable(store).keys(), 2);
            Waits.until("the others have come", () -> ask(texts, "ann", "").equals("one two three "));
            assertThat(parked).extracting(Parked::tries).containsExactly(2, 1);
            assertThat(parked).extracting(Parked::key).containsOnly("sender");
            assertThat(parked).extracting(Parked::to).containsOnly("texts");
            assertThat(parked.get(0).reason()).contains("IllegalStateException: bad");
            assertThat(parked.get(0).message()).isEqualTo("Command[key=ann, text=bad]");
            assertThat(parked.get(1).reason()).contains("Wrong: wrong");
        }
        try (var store = open(); var scope = ActorSystem.open("next")) {
            var texts = keyed(durable(store), scope);
            var keys = durable(store).keys();
            var parked = parked(keys, 2);
            assertThat(keys.parked(Optional.of(parked.get(0)), 10)).containsExactly(parked.get(1));
            assertThat(keys.sendAgain(parked.get(0))).isTrue();
            Waits.until("it has failed as often again", () -> tries(keys).equals(List.of(2, 1)));
            refused.clear();
            assertThat(keys.drop(parked.get(1))).isTrue();
            assertThat(keys.drop(parked.get(1))).isFalse();
            var bad = parked(keys, 1).getFirst();
            assertThat(keys.sendAgain(bad)).isTrue();
            assertThat(parked(keys, 0)).isEmpty();
            Waits.until("it has come", () -> ask(texts, "ann", "").equals("one two three bad "));
            assertThat(keys.sendAgain(bad)).isFalse();
            assertThat(ask(texts, "bob", "")).as("it was dropped").isEmpty();
        }
    }

    @Test
    @Promise({"90.1", "90.2"})
    void byChoiceTheKeyStandsStillAlsoInTheNextProcess() throws Exception {
        refused.add("bad");
        try (var store = open(); var scope = ActorSystem.open("texts")) {
            var texts = keyed(durable(store).standStill(), scope);
            ask(texts, "sender", "one>ann,bad>ann,two>ann");
            parked(durable(store).keys(), 1);
            ask(texts, "sender", "three>ann");
            ask(texts, "other", "four>ann");
            Waits.until("others go on", () -> ask(texts, "ann", "").equals("one four "));
        }
        refused.clear();
        try (var store = open(); var scope = ActorSystem.open("next")) {
            var texts = keyed(durable(store).standStill(), scope);
            var keys = durable(store).keys();
            ask(texts, "sender", "five>ann");
            ask(texts, "other", "six>ann");
            Waits.until("others go on", () -> ask(texts, "ann", "").equals("one four six "));
            assertThat(keys.sendAgain(parked(keys, 1).getFirst())).isTrue();
            Waits.until("in its order",
                    () -> ask(texts, "ann", "").equals("one four six bad two three five "));
        }
    }

    /** It fails again, so often that it is not given up soon. */
    @Test
    @Promise({"90.2", "90.3"})
    void theKeyStandsStillWhileTheMessageIsSentAgainAlsoInTheNextProcess() throws Exception {
        refused.add("wrong");
        refused.add("wrong 2");
        Durable<String, String> durable;
        try (var store = open(); var scope = ActorSystem.open("texts")) {
            var texts = keyed(durable(store).standStill(), scope);
            ask(texts, "sender", "one>ann,wrong>ann,two>ann");
            ask(texts, "second", "wrong 2>ann,three>ann");
            parked(durable(store).keys(), 2);
        }
        try (var store = open(); var scope = ActorSystem.open("next")) {
            durable = durable(store).standStill().parkAfter(1_000);
            keyed(durable, scope);
            for (var each : parked(durable.keys(), 2)) {
                assertThat(durable.keys().sendAgain(each)).isTrue();
            }
            var keys = durable.keys();
            Waits.until("both have failed again", () -> tries(keys).stream().allMatch(tries -> tries > 0));
        }
        try (var store = open(); var scope = ActorSystem.open("last")) {
            durable = durable(store).standStill().parkAfter(1_000);
            var texts = keyed(durable, scope);
            ask(texts, "other", "four>ann");
            Waits.until("others go on", () -> ask(texts, "ann", "").endsWith("four "));
            var second = parked(durable.keys(), 2).getFirst();
            assertThat(second.message()).contains("wrong 2");
            assertThat(durable.keys().drop(second)).isTrue();
            Waits.until("its key goes on", () -> ask(texts, "ann", "").equals("one four three "));
            refused.clear();
            Waits.until("in its order", () -> ask(texts, "ann", "").equals("one four three wrong two "));
            parked(durable.keys(), 0);
        }
    }

    @Test
    @Promise("90.3")
    void aReminderIsParkedAndComesAgain() throws Exception {
        refused.add("wrong");
        try (var store = open(); var scope = ActorSystem.open("texts")) {
            var texts = keyed(durable(store), scope);
            var keys = durable(store).keys();
            ask(texts, "ann", "remind wrong");
            var parked = parked(keys, 1).getFirst();
            assertThat(parked.name()).isEqualTo("later");
            assertThat(parked.tries()).isOne();
            assertThat(parked.message()).isEqualTo("Command[key=ann, text=wrong]");
            refused.clear();
            assertThat(keys.sendAgain(parked)).isTrue();
            Waits.until("it has come", () -> ask(texts, "ann", "").equals("wrong "));
            assertThat(parked(keys, 0)).isEmpty();
        }
    }

    /** While it is parked, a day passes. */
    @Test
    @Promise("90.3")
    void ofAReminderThatIsRepeatedOneTimeIsDropped() throws Exception {
        refused.addAll(Set.of("wrong rate", "wrong hour"));
        var time = new ManualTime(Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofMinutes(61)),
                Duration.ofSeconds(10));
        try (var store = open(); var scope = ActorSystem.configure("texts").time(time).open()) {
            var durable = durable(store).idle(Duration.ofDays(365));
            var texts = durable.keyed(scope, Command.class, String.class, Command::key, (self, command) -> {
                switch (command.text()) {
                    case "begin" -> {
                        self.remind("rate",
                                Schedule.fixedRate(Duration.ofMinutes(7))
                                        .startingAfter(Duration.ofMinutes(1)),
                                new Command(self.key(), "wrong rate"));
                        self.remind("hour", Schedule.cron("0 0 * * * *", ZoneOffset.UTC),
                                new Command(self.key(), "wrong hour"));
                    }
                    case String text when refused.contains(text) -> throw new Wrong(text);
                    case String text -> self.persist(self.state() + text + " ");
                }
                return self.state();
            });
            ask(texts, "ann", "begin");
            time.advance(Duration.ofMinutes(2));
            for (var each : parked(durable.keys(), 2)) {
                var before = Instant.now();
                assertThat(durable.keys().drop(each)).isTrue();
                var next = store.read(journal -> journal.reminder(new Id("texts", "ann"), each.name()))
                        .orElseThrow();
                assertThat(next.isParked()).isFalse();
                assertThat(next.at()).as(each.name()).isAfter(before);
                assertThat(Duration.between(each.at(), next.at()).toMinutes())
                        .isPositive()
                        .matches(minutes -> minutes % (each.name().equals("rate") ? 7 : 60) == 0);
            }
            refused.clear();
            time.advance(Duration.ofHours(3)); // an hour may have ended meanwhile
            Waits.until("both come again", () -> {
                var seen = ask(texts, "ann", "");
                return seen.contains("wrong rate") && seen.contains("wrong hour");
            });
        }
    }

    @Test
    @Promise("89.3")
    void whatIsParkedIsErasedWithItsKeyAndOutlivesItsDeletion() throws Exception {
        refused.add("wrong");
        try (var store = open(); var scope = ActorSystem.open("texts")) {
            var texts = keyed(durable(store), scope);
            var keys = durable(store).keys();
            ask(texts, "sender", "wrong>ann");
            parked(keys, 1);
            assertThat(keys.delete("sender")).isTrue();
            parked(keys, 1);
            assertThat(keys.erase("sender")).isTrue();
            parked(keys, 0);
        }
    }
}
