package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.durable.DurableQueue.Receipt.State;
import io.fibry.inside.Inside;
import io.fibry.inside.InsideOptions;
import io.fibry.inside.Worklist;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is parked is looked at, sent again and dropped on the live page. */
class ParkedPageTest {
    private static final String TOKEN = "a-token-of-this-test";
    private static final Pattern ROW = Pattern.compile("\"id\":\"([0-9a-f]+)\",\"cells\":\\[\"([^\"]*)\"");

    public record Command(String key, String text) {
    }

    @TempDir
    private Path folder;
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    private static Worklist<DurableKeys.Parked> list(String title, DurableKeys keys) {
        return Worklist.of(title, keys::parked).action("Send again", keys::sendAgain).action("Drop",
                keys::drop);
    }

    private static String ask(HttpClient client, Inside inside, String method, String query)
            throws Exception {
        var request = HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + inside.port() + "/worklist?" + query.replace(" ", "%20")))
                .method(method, BodyPublishers.noBody()).header("Authorization", "Bearer " + TOKEN)
                .header("Content-Type", "application/json").build();
        return client.send(request, BodyHandlers.ofString()).body();
    }

    private static <T> T of(Callable<T> value) {
        try {
            return value.call();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until a list has as many rows. Returns their ids, in the order of keys. */
    private static List<String> rows(HttpClient client, Inside inside, int list, String... keys)
            throws Exception {
        Waits.until(List.of(keys) + " are parked",
                () -> ROW.matcher(of(() -> ask(client, inside, "GET", "list=" + list))).results()
                        .map(row -> row.group(2)).toList().equals(List.of(keys)));
        return ROW.matcher(ask(client, inside, "GET", "list=" + list)).results().map(row -> row.group(1))
                .toList();
    }

    @Test
    @Promise("90.4")
    void messagesAndTasksAreSentAgainAndDropped() throws Exception {
        refused.add("bad");
        try (var store = DurableStore.open("file:" + folder.resolve("texts.db"));
                var scope = ActorSystem.open("texts");
                var client = HttpClient.newHttpClient()) {
            var durable = Durable.stateOnly(store, "texts", String.class, "").parkAfter(1);
            var texts = durable.keyed(scope, Command.class, String.class, Command::key, (self, command) -> {
                if (refused.contains(command.text())) {
                    throw new IllegalStateException(command.text());
                } else if (command.text().contains(">")) {
                    self.send(new Command(command.text().split(">")[1], command.text().split(">")[0]));
                } else {
                    self.persist(self.state() + command.text());
                }
                return self.state();
            });
            var tasks = DurableQueue.of(store, "tasks", String.class).parkAfter(1);
            tasks.start(scope, 2, task -> {
                if (refused.contains(task.work())) {
                    throw new IllegalStateException(task.work());
                }
            });
            try (var inside = Inside.open(InsideOptions.localPort(0).token(TOKEN)
                    .worklist(list("Parked texts", durable.keys()))
                    .worklist(list("Parked tasks", tasks.keys())))) {
                Waits.on(texts.sendMessageReturn(new Command("ann", "bad>zoe")));
                Waits.on(texts.sendMessageReturn(new Command("bob", "bad>zoe")));
                tasks.handIn("one", "bad");
                tasks.handIn("two", "bad");
                var letters = rows(client, inside, 0, "ann", "bob");
                var work = rows(client, inside, 1, "one", "two");
                assertThat(ask(client, inside, "GET", "list=0")).contains("Command[key=zoe, text=bad]",
                        "IllegalStateException: bad");

                refused.clear();
                assertThat(ask(client, inside, "POST", "list=0&action=Send again&row=" + letters.get(0)))
                        .contains("\"outcome\":\"done\"");
                assertThat(ask(client, inside, "POST", "list=0&action=Drop&row=" + letters.get(1)))
                        .contains("\"outcome\":\"done\"");
                assertThat(ask(client, inside, "POST", "list=0&action=Drop&row=" + letters.get(1)))
                        .contains("\"outcome\":\"gone\"");
                rows(client, inside, 0);
                Waits.until("one has come",
                        () -> of(() -> Waits.on(texts.sendMessageReturn(new Command("zoe", ""))))
                                .equals("bad"));

                assertThat(ask(client, inside, "POST", "list=1&action=Send again&row=" + work.get(0)))
                        .contains("\"outcome\":\"done\"");
                assertThat(ask(client, inside, "POST", "list=1&action=Drop&row=" + work.get(1)))
                        .contains("\"outcome\":\"done\"");
                Waits.until("it is done",
                        () -> of(() -> tasks.receipt("one")).orElseThrow().state() == State.DONE);
                assertThat(tasks.receipt("two").orElseThrow().state()).isEqualTo(State.DROPPED);
            }
        }
    }
}
