package io.fibry.examples.bank;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Stereotypes;
import io.fibry.durable.DurableStore;
import io.fibry.durable.Projection;
import io.fibry.examples.bank.BankAccount.Answer;
import io.fibry.examples.bank.BankAccount.Balance;
import io.fibry.examples.bank.BankAccount.Close;
import io.fibry.examples.bank.BankAccount.Command;
import io.fibry.examples.bank.BankAccount.Event;
import io.fibry.examples.bank.BankAccount.Open;
import io.fibry.examples.bank.BankAccount.Pay;
import io.fibry.examples.bank.BankAccount.Refused;
import io.fibry.examples.bank.BankAccount.Show;
import io.fibry.examples.frame.Option;
import io.fibry.examples.frame.Options;
import io.fibry.keyed.KeyedActors;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpOptions;
import io.fibry.net.HttpRoutes;
import io.fibry.net.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/**
 * A bank whose customers pay each other. Kill it at any moment, start it again with the same file, and all money is there.
 * The account with the highest number is closed, so what is sent there comes back.
 */
public final class DurableBank implements AutoCloseable {
    static final int ACCOUNTS = 10;
    static final long CENTS_EACH = 1_000;
    private static final Duration ARRIVES = Duration.ofSeconds(20);
    private static final int LONGEST = 86_400;
    private static final int HIGHEST_PORT = 65_535;

    private static final List<String> OWNERS = List.of("Ann", "Bob", "Cleo");

    private final DurableStore store;
    private final OwnerSums sums;
    private final Server page;
    private final ActorScope scope = ActorSystem.open("bank");
    private final KeyedActors<Integer, Command, Answer> accounts;

    /** Opens the bank that a file has, or a new one. Its page is on a port of 127.0.0.1; the port 0 stands for any free port. */
    DurableBank(Path file, int port) throws InterruptedException {
        store = DurableStore.open("file:" + file);
        accounts = BankAccount.open(scope, store);
        for (int i = 0; i < ACCOUNTS; i++) {
            ask(new Open(i, OWNERS.get(i % OWNERS.size()), CENTS_EACH));
        }
        sums = new OwnerSums(file);
        Projection.<Event>of("sums", BankAccount.durable(store)).startInTransaction(scope, OwnerSums::write);
        page = Stereotypes.with(scope.anonymous()).embeddedHttpServer(HttpOptions.localPort(port),
                HttpRoutes.none().get("/", call -> HttpAnswer.html(sums.html())));
        if (show(ACCOUNTS - 1).cents() == CENTS_EACH) {
            ask(new Close(ACCOUNTS - 1));
        }
    }

    Answer ask(Command command) {
        return accounts.sendMessageReturn(command).join();
    }

    Balance show(int account) {
        return (Balance) ask(new Show(account));
    }

    OwnerSums sums() {
        return sums;
    }

    URI page() {
        return URI.create("http://127.0.0.1:" + page.port() + "/");
    }

    /** Adds up all accounts. What a payer has paid may be under way, so this waits until it has arrived. */
    long audit() throws InterruptedException {
        var end = Instant.now().plus(ARRIVES);
        while (true) {
            long sum = IntStream.range(0, ACCOUNTS).mapToLong(account -> show(account).cents()).sum();
            if (sum == ACCOUNTS * CENTS_EACH || Instant.now().isAfter(end)) {
                return sum;
            }
            Thread.sleep(10);
        }
    }

    /** Lets a customer pay others, one after the other, and prints what the bank has acknowledged. */
    private void payUntil(Instant end, int payer, long pause) {
        var random = ThreadLocalRandom.current();
        while (Instant.now().isBefore(end)) {
            int to = (payer + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
            var order = new Pay(payer, UUID.randomUUID().toString(), to, 1 + random.nextInt(300));
            System.out.println(switch (ask(order)) {
                case Balance balance -> "payment %d of %d: %d cents to %d, %d are left".formatted(
                        balance.payments(), payer, order.cents(), to, balance.cents());
                case Refused refused -> "refused to %d: %s".formatted(payer, refused.why());
            });
            sleep(pause);
        }
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing interrupts a customer", e);
        }
    }

    @Override
    public void close() {
        scope.close();
        store.close();
    }

    /**
     * Runs the example.
     *
     * @param args see {@code --help}
     * @throws InterruptedException if the thread is interrupted
     */
    public static void main(String[] args) throws InterruptedException {
        var options = Options.read(args,
                new Option("--durable", "",
                        "the file that keeps the accounts, such as bank.db; without it they end with the example"),
                new Option("--port", "0", "the port of the page with the sums of owners; 0 is any free port"),
                new Option("--seconds", "10", "for how long the customers pay"),
                new Option("--pause", "500", "for how many milliseconds a customer waits after a payment"));
        try (var bank = open(options)) {
            System.out.println("the sums of owners: " + bank.page());
            System.out.printf("%,d cents in %d accounts%n", bank.audit(), ACCOUNTS);
            var end = Instant.now().plusSeconds(options.number("--seconds", 0, LONGEST));
            long pause = options.number("--pause", 0, LONGEST);
            var customers = IntStream.range(0, ACCOUNTS - 1)
                    .mapToObj(payer -> Thread.startVirtualThread(() -> bank.payUntil(end, payer, pause)))
                    .toList();
            for (var customer : customers) {
                customer.join();
            }
            System.out.printf("%,d cents in %d accounts%n", bank.audit(), ACCOUNTS);
        }
    }

    private static DurableBank open(Options options) throws InterruptedException {
        var file = options.text("--durable");
        try {
            var path = file.isEmpty() ? Files.createTempDirectory("bank").resolve("bank.db") : Path.of(file);
            return new DurableBank(path, Math.toIntExact(options.number("--port", 0, HIGHEST_PORT)));
        } catch (IllegalArgumentException | IllegalStateException notOpened) {
            throw options.wrong(notOpened.getMessage());
        } catch (IOException noFolder) {
            throw new UncheckedIOException(noFolder);
        }
    }
}
