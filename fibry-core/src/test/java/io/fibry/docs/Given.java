package io.fibry.docs;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.function.Handler;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What readers of the documents take for granted: programs of their own. */
public final class Given {
    public static final Logger LOG = LoggerFactory.getLogger("given");
    public static final Handler<String> handler = message -> {
    };
    public static final Actor<String, Integer> prices =
            ActorSystem.anonymous().newActorWithReturn(String::length);
    public static final Actor<String, Integer> audit = prices;
    public static final Actor<String, Integer> reports = prices;
    public static final String month = "May";
    public static final int id = 7;
    public static final Index index = (words, limit) -> List.of(words);
    public static final Users users = new Users();
    public static final Files files = name -> new byte[0];
    public static final Report report = out -> out.write(1);
    public static final SSLContext sslContext = tls();
    public static final SSLContext serverKeys = sslContext;
    public static final SSLContext trust = sslContext;
    public static final URI uri = URI.create("http://127.0.0.1/");
    public static int left = 3;

    private Given() {
    }

    public record Order(String item) {
    }

    public record User(String name) {
    }

    public interface Index {
        List<String> search(String words, Duration limit);
    }

    public interface Files {
        byte[] read(String name) throws IOException;
    }

    public interface Report {
        void writeTo(OutputStream out) throws IOException;
    }

    public static final class Users {
        public User find(String name) {
            return new User(name);
        }

        public int add(String text) {
            return text.length();
        }
    }

    public static final class Ledger {
        public Ledger(String account) {
            LOG.debug("a ledger for {}", account);
        }

        public void add(int amount) {
            LOG.debug("added {}", amount);
        }
    }

    /** A library for tracing. */
    public static final class Tracing {
        private Tracing() {
        }

        public static String current() {
            return "span";
        }

        public static Current makeCurrent(String span) {
            return () -> LOG.debug("the end of {}", span);
        }
    }

    /** Until it is closed, which may fail in no library for tracing. */
    public interface Current extends AutoCloseable {
        @Override
        void close();
    }

    public static final class MyProtocol {
        private MyProtocol() {
        }

        public static void serve(Socket socket) throws IOException {
            socket.close();
        }
    }

    public static void sweep() {
    }

    public static void celebrate() {
    }

    public static void save() {
    }

    public static String call(String request) {
        return request;
    }

    public static User load(int number) {
        return new User("user " + number);
    }

    public static AutoCloseable openPool() {
        return () -> LOG.debug("the pool is closed");
    }

    public static void book(AutoCloseable pool, Order order) {
        LOG.debug("{} in {}", order, pool);
    }

    public static void readOrders(Actor<Order, Void> ledger) {
        ledger.sendMessage(new Order("tea"));
    }

    public static int countInWarehouse(String item) {
        return item.length();
    }

    public static String toJson(User user) {
        return "\"" + user.name() + "\"";
    }

    private static SSLContext tls() {
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
