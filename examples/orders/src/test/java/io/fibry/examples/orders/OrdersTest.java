package io.fibry.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import io.fibry.examples.frame.UsageException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a real PostgreSQL. What is asserted does not depend on how fast the machine is. */
@Timeout(120)
class OrdersTest {
    private static Database database;

    @BeforeAll
    static void start() throws Exception {
        try {
            database = Database.open("");
        } catch (IOException | IllegalStateException e) {
            abort("no PostgreSQL can be started here, so this is not tested: " + e);
        }
    }

    @AfterAll
    static void stop() {
        if (database != null) {
            database.close();
        }
    }

    private static long booked() throws SQLException {
        try (var connection = database.connect();
                var found = connection.createStatement().executeQuery("select count(*) from orders")) {
            found.next();
            return found.getLong(1);
        }
    }

    private static List<CompletableFuture<Object>> send(Shop shop, int orders, Executor threads) {
        var sent = new ArrayList<CompletableFuture<Object>>();
        for (int i = 0; i < orders; i++) {
            var order = new Order(i % 100);
            sent.add(CompletableFuture.supplyAsync(() -> {
                try {
                    shop.handle(order);
                    return "served";
                } catch (Exception e) {
                    return e;
                }
            }, threads));
        }
        return sent;
    }

    private static void untilDone(int orders, List<CompletableFuture<Object>> sent)
            throws InterruptedException {
        var left = new CountDownLatch(orders);
        sent.forEach(order -> order.thenRun(left::countDown));
        assertThat(left.await(60, TimeUnit.SECONDS)).as("%d orders are done", orders).isTrue();
    }

    /** Until so many connections have a call that waits for the lock. */
    private static void untilWaiting(int connections) throws Exception {
        try (var connection = database.connect(); var statement = connection.createStatement()) {
            int waiting = 0;
            while (waiting < connections) { // each look is a call of the database
                try (var found = statement
                        .executeQuery(
                                "select count(*) from pg_stat_activity where wait_event_type = 'Lock'")) {
                    found.next();
                    waiting = found.getInt(1);
                }
            }
        }
    }

    @Test
    void bothShopsServeWhatTheyCan() throws Exception {
        try (var blocking = new BlockingShop(database);
                var semaphore = new SemaphoreShop(database);
                var actors = new ActorShop(database);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long before = booked();
            // More might wait for a connection for too long.
            assertThat(send(blocking, Shop.CONNECTIONS, threads))
                    .allMatch(order -> order.join().equals("served"));
            assertThat(send(actors, 8, threads)).allMatch(order -> order.join().equals("served"));
            assertThat(send(semaphore, 8, threads)).allMatch(order -> order.join().equals("served"));
            assertThat(booked()).isEqualTo(before + Shop.CONNECTIONS + 16);
        }
    }

    /** The database stands still, so that it is known how many orders find a place. */
    @Test
    void actorsRefuseAtOnceWhatFindsNoPlaceAndServeTheRest() throws Exception {
        try (var actors = new ActorShop(database);
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var lock = database.connect()) {
            long before = booked();
            lock.setAutoCommit(false);
            lock.createStatement().execute("lock table stock in access exclusive mode");
            var sent = new ArrayList<CompletableFuture<Object>>();
            for (int running = 1; running <= Shop.CONNECTIONS; running++) {
                sent.addAll(send(actors, 1, threads)); // two at a time may choose the same idle till
                untilWaiting(running);
            }
            sent.addAll(send(actors, 200 - Shop.CONNECTIONS, threads));

            int places = Shop.CONNECTIONS * (ActorShop.PLACES + 1);
            untilDone(200 - places, sent);
            assertThat(sent.stream().filter(CompletableFuture::isDone))
                    .allMatch(order -> order.join() instanceof RefusedException);
            lock.rollback();

            assertThat(sent.stream().filter(order -> order.join().equals("served")).count())
                    .isEqualTo(places);
            assertThat(booked()).isEqualTo(before + places);
        }
    }

    @Test
    void aSemaphoreDoesTheSame() throws Exception {
        try (var semaphore = new SemaphoreShop(database);
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var lock = database.connect()) {
            lock.setAutoCommit(false);
            lock.createStatement().execute("lock table stock in access exclusive mode");
            var sent = send(semaphore, 200, threads);

            int places = Shop.CONNECTIONS * (ActorShop.PLACES + 1);
            untilDone(200 - places, sent);
            assertThat(sent.stream().filter(CompletableFuture::isDone))
                    .allMatch(order -> order.join() instanceof RefusedException);
            lock.rollback();
            assertThat(sent.stream().filter(order -> order.join().equals("served")).count())
                    .isEqualTo(places);
        }
    }

    /**
     * The whole load. The number of orders that are served in a second depends on the machine, and blocking also serves
     * customers who have waited for seconds. So the test compares how long customers wait, how many give up, and how many
     * still wait when the load is over.
     */
    @Test
    @Tag("thorough")
    void noOneGivesUpWithActorsAndTheyAreThemselvesAgainAtOnce() throws Exception {
        var seconds = new ArrayList<Load.Second>();
        try (var blocking = new BlockingShop(database);
                var semaphore = new SemaphoreShop(database);
                var actors = new ActorShop(database)) {
            Load.run(blocking, semaphore, actors, 25, 400, seconds::add);
        }
        assertThat(seconds).as("refused, and not given up").allMatch(second -> second.actors().failed() == 0
                && second.semaphore().failed() == 0);
        assertThat(seconds.stream().mapToInt(second -> second.blocking().failed()).sum()).as("%s", seconds)
                .isGreaterThan(seconds.stream().mapToInt(Load.Second::offered).sum() / 10);
        var peak = seconds.subList(13, 18);
        assertThat(peak.stream().mapToLong(second -> waitOf(second.blocking())).sum()).as("%s", seconds)
                .isGreaterThan(2 * peak.stream().mapToLong(second -> waitOf(second.actors())).sum());
        var over = seconds.get(18);
        assertThat(over.offered()).as("the load is over").isEqualTo(20);
        assertThat(over.blocking().waiting()).as("%s", seconds).isGreaterThan(100 + over.actors().waiting());
        assertThat(seconds.subList(20, 25)).allMatch(second -> second.actors().refused() == 0);
    }

    /** Customers leave after three seconds, also in a second in which no one was served. */
    private static long waitOf(Load.Sample sample) {
        return sample.served() == 0 ? 3_000 : sample.medianMillis();
    }

    @Test
    void blockingWaitsAndLosesAllButWhatHasAConnection() throws Exception {
        try (var blocking = new BlockingShop(database);
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var lock = database.connect()) {
            lock.setAutoCommit(false);
            lock.createStatement().execute("lock table stock in access exclusive mode");
            var sent = send(blocking, 100, threads);

            untilDone(100 - Shop.CONNECTIONS, sent);
            assertThat(sent.stream().filter(CompletableFuture::isDone))
                    .allMatch(order -> order.join().toString().endsWith("no connection within 1000 ms"));
            lock.rollback();
            assertThat(sent.stream().filter(order -> order.join().equals("served")).count())
                    .isEqualTo(Shop.CONNECTIONS);
        }
    }

    @Test
    void theLoadRisesAndThePageShowsIt() throws Exception {
        assertThat(List.of(0, 1, 2, 3).stream().map(second -> Load.rate(second, 4, 100)))
                .containsExactly(20, 60, 100, 20);
        var seconds = new CopyOnWriteArrayList<Load.Second>();
        try (var blocking = new BlockingShop(database);
                var semaphore = new SemaphoreShop(database);
                var actors = new ActorShop(database);
                var page = Orders.page(0, seconds, 2, 40);
                var client = HttpClient.newHttpClient()) {
            Load.run(blocking, semaphore, actors, 2, 40, seconds::add);
            var root = "http://127.0.0.1:" + page.port();
            var html = client.send(HttpRequest.newBuilder(URI.create(root + "/")).build(),
                    BodyHandlers.ofString());
            var live = client.send(HttpRequest.newBuilder(URI.create(root + "/live")).build(),
                    BodyHandlers.ofLines()).body().filter(line -> !line.isBlank()).limit(3).toList();

            assertThat(html.body()).contains("EventSource('/live')");
            assertThat(live.get(0)).isEqualTo("data: {\"seconds\":2,\"top\":40}");
            assertThat(live.get(1))
                    .startsWith("data: {\"second\":0,\"offered\":20,\"blocking\":{\"served\":");
            assertThat(live.get(1)).contains("\"semaphore\":{\"served\":", "\"actors\":{\"served\":",
                    "\"refused\":0,\"failed\":0");
            assertThat(live.get(2)).startsWith("data: {\"second\":1,\"offered\":20,");
            client.shutdownNow();
        }
    }

    @Test
    void aDatabaseThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> Orders.main(
                new String[]{"--port", "0", "--url", "jdbc:postgresql://127.0.0.1:1/x"}))
                .isInstanceOf(UsageException.class).hasMessageStartingWith("there is no database: ")
                .hasMessageContaining("give one with --url");
    }
}
