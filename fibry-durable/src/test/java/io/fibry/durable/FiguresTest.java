package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.dump.DumpOptions;
import io.fibry.durable.Bank.Event;
import io.fibry.durable.DurableStore.Figure;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is seen of a store from outside. */
class FiguresTest {
    private static Map<String, Double> figures(DurableStore store, String of) {
        return store.figures().stream().filter(figure -> figure.of().equals(of))
                .collect(Collectors.toMap(Figure::name, Figure::value));
    }

    @Test
    @Promise("91.1")
    void aStoreTellsItsCommitsWhatIsToBeSentAndHowFarProjectionsAre() throws Exception {
        var goOn = new CountDownLatch(1);
        try (var store = DurableStore.inMemory(); var scope = ActorSystem.open("bank")) {
            var durable = Bank.durable(store).parkAfter(1, IllegalArgumentException.class);
            var accounts = Bank.open(scope, durable, Bank.LONG, new AtomicInteger());
            var projection = Projection.<Event>of("slow", durable).start(scope, batch -> {
                if (!batch.turns().isEmpty()) {
                    goOn.await();
                }
            });
            var commits = figures(store, "");
            assertThat(commits).containsOnlyKeys("commits", "commit.turns", "commit.seconds");
            Waits.on(accounts.sendMessageReturn(new Bank.Later("a", Instant.now().plusSeconds(30), 1)));
            Waits.on(accounts.sendMessageReturn(Bank.deposit("b", 1)));
            assertThat(figures(store, "").get("commits")).isEqualTo(commits.get("commits") + 2);
            assertThat(figures(store, "").get("commit.turns")).isEqualTo(commits.get("commit.turns") + 2);
            Waits.until("the reminder is known", () -> figures(store, "accounts").get("reminders.soon") == 1);
            Waits.until("the projection is behind",
                    () -> figures(store, "slow").get("projection.lag.seconds") > 0);
            assertThat(figures(store, "accounts")).containsEntry("keys.loaded", 2.0)
                    .containsEntry("outbox.keys", 0.0)
                    .containsEntry("parked", 0.0).containsEntry("reminders.late.seconds", 0.0);
            goOn.countDown();
            Waits.until("it is not", () -> figures(store, "slow").get("projection.lag.seconds") == 0);
            var dump = scope.dump(DumpOptions.defaults()).text();
            assertThat(dump).contains("Durable actors accounts").contains("keys.loaded")
                    .contains("Projection slow").containsPattern("store\\.commits +[2-9]");
            projection.close();
            assertThat(scope.dump(DumpOptions.defaults()).text()).doesNotContain("Projection slow");
        }
    }

    @Test
    @Promise("91.1")
    void whatIsParkedIsInTheDumpWithItsReason() throws Exception {
        try (var store = DurableStore.inMemory(); var scope = ActorSystem.open("bank")) {
            var texts = Durable.stateOnly(store, "texts", String.class, "").parkAfter(1).keyed(scope,
                    String.class, String.class,
                    key -> key, (self, key) -> {
                        if (key.equals("bad")) {
                            throw new IllegalStateException("the disk of the mail server is full");
                        }
                        self.send("bad");
                        return "";
                    });
            Waits.on(texts.sendMessageReturn("good"));
            Waits.until("it is parked", () -> figures(store, "texts").get("parked") == 1);
            Waits.until("it is shown", () -> scope.dump(DumpOptions.defaults()).text()
                    .contains("the disk of the mail server is full"));
        }
    }
}
