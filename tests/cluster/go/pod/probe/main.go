// Command probe answers and asks inside a pod: it serves a port, resolves a name, or connects to an address.
//
//	probe serve :8080            accept connections for ever
//	probe resolve NAME           print the addresses of NAME
//	probe dial HOST:PORT         connect within 3 seconds, and say so
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		end(fmt.Errorf("usage: probe serve|resolve|dial ADDRESS"))
	}
	switch verb, address := os.Args[1], os.Args[2]; verb {
	case "serve":
		end(serve(address))
	case "resolve":
		addresses, err := net.LookupHost(address)
		fmt.Println(addresses)
		end(err)
	case "dial":
		connection, err := net.DialTimeout("tcp", address, 3*time.Second)
		if err == nil {
			fmt.Println("connected to", connection.RemoteAddr())
		}
		end(err)
	default:
		end(fmt.Errorf("%s: unknown verb", verb))
	}
}

func serve(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		connection.Close()
	}
}

func end(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(0)
}
