package io.fibry.bench.durable;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.logging.Logger;

/** Takes the place of the driver of a database as long as it is not closed, and makes each commit slower. */
final class SlowFlush implements Driver, AutoCloseable {
    private final Driver driver;
    private final Duration flush;

    private SlowFlush(Driver driver, Duration flush) {
        this.driver = driver;
        this.flush = flush;
    }

    /** Takes the place of the driver, unless commits are to be no slower. */
    static SlowFlush install(String url, Duration flush) throws SQLException {
        var driver = DriverManager.getDriver(url);
        var slow = new SlowFlush(driver, flush);
        if (!flush.isZero()) {
            DriverManager.registerDriver(slow);
            DriverManager.deregisterDriver(driver);
        }
        return slow;
    }

    @Override
    public void close() throws SQLException {
        if (!flush.isZero()) {
            DriverManager.registerDriver(driver);
            DriverManager.deregisterDriver(this);
        }
    }

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        var connection = driver.connect(url, info);
        return connection == null ? null : slower(Connection.class, connection, connection);
    }

    /** A prepared statement commits, too, unless it is one of a transaction. */
    private <T> T slower(Class<T> type, T target, Connection connection) {
        return type.cast(Proxy.newProxyInstance(SlowFlush.class.getClassLoader(), new Class<?>[]{type},
                (proxy, method, args) -> {
                    var name = method.getName();
                    if (name.equals("commit") || (target instanceof PreparedStatement
                            && name.startsWith("execute") && connection.getAutoCommit())) {
                        Thread.sleep(flush);
                    }
                    try {
                        var result = method.invoke(target, args);
                        return result instanceof PreparedStatement statement
                                ? slower(PreparedStatement.class, statement, connection)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Override
    public boolean acceptsURL(String url) throws SQLException {
        return driver.acceptsURL(url);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) throws SQLException {
        return driver.getPropertyInfo(url, info);
    }

    @Override
    public int getMajorVersion() {
        return driver.getMajorVersion();
    }

    @Override
    public int getMinorVersion() {
        return driver.getMinorVersion();
    }

    @Override
    public boolean jdbcCompliant() {
        return driver.jdbcCompliant();
    }

    @Override
    public Logger getParentLogger() {
        return Logger.getLogger("io.fibry.bench");
    }
}
